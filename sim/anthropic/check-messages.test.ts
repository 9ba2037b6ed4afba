// What the Anthropic simulator refuses about messages: roles, empty content, prefill, images and documents.

import {
  assistant,
  base,
  describeRefusals,
  hello,
  image,
  png,
  result,
  text,
  use,
  user,
  without,
  withTools,
} from '../../test/anthropic-requests.ts'

describeRefusals({
  'no messages': [without(base(), 'messages'), 'messages: Field required'],
  'an empty list of messages': [base({ messages: [] }), 'messages: at least one message is required'],
  'an unknown block': [
    base({ messages: [user([{ type: 'image_url' }])] }),
    "messages.0.content.0: Input tag 'image_url' found using 'type' does not match any of the expected tags: 'text'",
  ],
  'a block with a name that every object of JavaScript has': [
    base({ messages: [user([{ type: 'constructor' }])] }),
    "messages.0.content.0: Input tag 'constructor' found using 'type' does not match any of the expected tags: 'text'",
  ],
  'an unknown role': [
    base({ messages: [...hello, { role: 'tool', content: 'x' }] }),
    'messages: Unexpected role "tool". Allowed roles are "user" or "assistant"',
  ],
  'a system message on models before 4.8': [
    base({ messages: [...hello, { role: 'system', content: 'x' }] }),
    "role 'system' is not supported on this model",
  ],
  'a system message at the beginning': [
    base({ model: 'claude-opus-4-8', messages: [{ role: 'system', content: 'x' }, ...hello] }),
    "messages.0: use the top-level 'system' parameter for the initial system prompt",
  ],
  'an assistant message at the beginning': [
    base({ messages: [assistant('x'), ...hello] }),
    'messages: first message must use the "user" role',
  ],
  'an empty text block': [
    base({ messages: [user([text('')])] }),
    'messages: text content blocks must be non-empty',
  ],
  'a blank text block': [
    base({ messages: [user([text(' \n')])] }),
    'messages: text content blocks must contain non-whitespace text',
  ],
  'an empty text block in a result': [
    withTools([...hello, assistant([use('a')]), user([result('a', { content: [text('')] })])]),
    'messages: text content blocks must be non-empty',
  ],
  'an empty system block': [base({ system: [text('')] }), 'system: text content blocks must be non-empty'],
  'an empty user message': [
    base({ messages: [user('')] }),
    'messages.0: user messages must have non-empty content',
  ],
  'a user message without blocks': [
    base({ messages: [user([])] }),
    'messages.0: user messages must have non-empty content',
  ],
  'an empty assistant message': [
    base({ messages: [...hello, assistant([]), ...hello] }),
    'messages.1: all messages must have non-empty content except for the optional final assistant message',
  ],
  'a prefill that ends in a space': [
    base({ messages: [...hello, assistant('I think ')] }),
    'messages: final assistant content cannot end with trailing whitespace',
  ],
  'a prefill on models since 4.6': [
    base({ model: 'claude-opus-4-6', messages: [...hello, assistant('I think')] }),
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  ],
  'an image of another type': [
    image({ type: 'base64', media_type: 'image/bmp', data: png }),
    "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
  ],
  'an image that is no base64': [
    image({ type: 'base64', media_type: 'image/png', data: 'data:image/png;base64,xx' }),
    'messages.0.content.0.image.source.base64.data: Invalid base64 data',
  ],
  'an image under a wrong name': [
    image({ type: 'base64', media_type: 'image/jpeg', data: png }),
    'The image was specified using the image/jpeg media type, but the image appears to be a image/png image',
  ],
  'no image at all': [
    image({ type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' }),
    'Could not process image',
  ],
  'an empty image': [image({ type: 'base64', media_type: 'image/png', data: '' }), 'image cannot be empty'],
  'an image over http': [
    image({ type: 'url', url: 'http://example.com/a.png' }),
    'messages.0.content.0.image.source.url.url: Only HTTPS URLs are supported.',
  ],
  'an image by the assistant': [
    base({
      messages: [
        ...hello,
        assistant([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }]),
        ...hello,
      ],
    }),
    'messages.1.content.0: `image` blocks can only be in `user` messages',
  ],
  'a document of another type': [
    base({
      messages: [user([{ type: 'document', source: { type: 'base64', media_type: 'text/csv', data: png } }])],
    }),
    "messages.0.content.0.document.source.base64.media_type: Input should be 'application/pdf'",
  ],
  'a document that is no PDF': [
    base({
      messages: [
        user([{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: png } }]),
      ],
    }),
    'The PDF specified was not valid.',
  ],
})
