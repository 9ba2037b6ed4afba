// Words in place of the images of a request, for a model without sight.

import type { TurnContext } from '../core/backend.ts'
import type { TurnEvent } from '../core/events.ts'
import { recalled } from '../core/recall.ts'
import type { ImagePart, Message, TextPart, TurnRequest } from '../core/request.ts'
import type { Target } from './catalog.ts'
import type { Serving } from './serving.ts'

/** The descriptions as a tape keeps them. */
export interface Descriptions {
  by: string
  /** In the order of the images. Null: the request has too many new images, and this is one of the oldest. */
  words: (string | null)[]
}

/** Runs the request; a model without sight gets words in place of images. */
export function runWithWords(
  request: TurnRequest,
  target: Target,
  serving: Serving,
  context: TurnContext,
): AsyncIterable<TurnEvent[]> {
  const { imageDescriptions, replayInputs } = serving.services
  const isAsIs = (!imageDescriptions && !replayInputs) || !request.messages.some(hasImages)
  return isAsIs ? target.backend.run(request, context) : inWords(request, target, serving, context)
}

async function* inWords(request: TurnRequest, target: Target, serving: Serving, context: TurnContext) {
  yield* target.backend.run(await describeImages(request, target, serving), context)
}

/** The unchanged request if the target may see images, or if no model is configured to describe images. */
async function describeImages(request: TurnRequest, target: Target, serving: Serving): Promise<TurnRequest> {
  const images = imagesIn(request)
  const made = await serving.services.imageDescriptions?.describe(images, target, serving)
  // A replay takes the descriptions from the tape: it has no model that describes images.
  const found = recalled(serving.recall, 'image descriptions', () => made)
  if (!found) return request
  const { by, words } = found
  const described = words.filter((text) => text !== null).length
  const blind = `${target.backendName}/${target.model} does not see images`
  serving.notes.add(`${imagesWere(described)} described by ${by}: ${blind}`)
  if (described < words.length)
    serving.notes.add(
      `${imagesWere(words.length - described)} left out: too many are new, and the newest are described first`,
    )
  return withoutImages(
    request,
    words.map((text) =>
      text === null
        ? '[An image, which you do not see. It has no description, because newer images were described first.]'
        : `[An image, which you do not see. Its description by ${by}:\n${text}\n]`,
    ),
  )
}

const imagesWere = (count: number) => (count === 1 ? 'an image was' : `${count} images were`)

type Parts = readonly { type: string }[]

const isImage = (part: { type: string }): part is ImagePart => part.type === 'image'

const partsOf = (message: Message): Parts =>
  message.role === 'tool' ? message.results.flatMap(({ content }): Parts => content) : message.content

const imagesIn = ({ messages }: TurnRequest): ImagePart[] =>
  messages.flatMap((message) => partsOf(message).filter(isImage))

export const hasImages = (message: Message): boolean => partsOf(message).some(isImage)

/** The request with these texts in place of its images, in their order. */
function withoutImages(request: TurnRequest, texts: readonly string[]): TurnRequest {
  let at = 0
  const worded = <Part extends { type: string }>(parts: readonly Part[]): (Part | TextPart)[] =>
    parts.map((part) => (isImage(part) ? wordsFor(part, texts[at++] ?? '') : part))
  const messages = request.messages.map((message): Message => {
    if (!hasImages(message)) return message
    if (message.role === 'tool') {
      // `source` is the original, with its image.
      const results = message.results.map(({ source: _, ...result }) => ({
        ...result,
        content: worded(result.content) as typeof result.content,
      }))
      return { role: 'tool', results }
    }
    return { role: message.role, content: worded<{ type: string }>(message.content) } as Message
  })
  return { ...request, messages, origin: { ...request.origin, faithful: false } }
}

const wordsFor = ({ cache }: ImagePart, text: string): TextPart => ({
  type: 'text',
  text,
  ...(cache ? { cache } : {}),
})
