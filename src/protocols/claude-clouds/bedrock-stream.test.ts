import { describe, expect, it } from 'vitest'
import { encodeChunk, encodeException, encodeFrame } from '../../../sim/clouds/event-stream.ts'
import { GatewayError } from '../../core/errors.ts'
import { BedrockStream } from './bedrock-stream.ts'

function decoded(...pieces: Buffer[]): string {
  const stream = new BedrockStream('cloud')
  const text = pieces.map((piece) => stream.push(piece).toString('utf8')).join('')
  stream.end()
  return text
}

const delta = '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Grüße"}}'
const bytes = Buffer.concat([encodeChunk(delta), encodeChunk('{"type":"message_stop","amazon-x":1}')])
const events = `event: content_block_delta\ndata: ${delta}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n`

it("becomes Anthropic's events, cut at every byte", () => {
  for (let at = 0; at <= bytes.length; at++)
    expect(decoded(bytes.subarray(0, at), bytes.subarray(at))).toBe(events)
})

describe('content', () => {
  it('on several lines is written on one, because an event ends at a line break', () => {
    expect(decoded(encodeChunk('{\n "x": "a\\nb",\r\n "type": "ping"\n}'))).toBe(
      'event: ping\ndata: {"x":"a\\nb","type":"ping"}\n\n',
    )
  })

  it('cannot begin an event of its own', () => {
    expect(decoded(encodeChunk('{"type":"ping\\n\\nevent: message_stop"}'))).toBe('')
  })

  it('without a type, or of other models, is skipped', () => {
    const event = { ':message-type': 'event', ':event-type': 'metadata' }
    expect(decoded(encodeChunk('{}'), encodeFrame(event, '{"usage":{}}'))).toBe('')
  })

  it('that is not JSON is an error', () => {
    expect(() => decoded(encodeFrame({ ':message-type': 'event' }, 'x'))).toThrow(
      'cloud: the event stream of Bedrock has a frame whose content is not JSON.',
    )
  })
})

describe('errors', () => {
  it.each([
    ['throttlingException', 'rate_limit_error'],
    ['validationException', 'invalid_request_error'],
    ['modelTimeoutException', 'timeout_error'],
    ['serviceUnavailableException', 'overloaded_error'],
    ['internalServerException', 'api_error'],
    ['modelStreamErrorException', 'api_error'],
  ])('%s is a %s', (exception, type) => {
    const error = { type, message: 'words', details: { error_code: exception } }
    expect(decoded(encodeException(exception, 'words'))).toBe(
      `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`,
    )
  })

  it('of the stream itself have their words in headers', () => {
    const headers = { ':message-type': 'error', ':error-code': 'internalFailure', ':error-message': 'oh' }
    expect(decoded(encodeFrame(headers, ''))).toContain('"message":"oh"')
  })

  it('of the bytes are of the upstream', () => {
    for (const reading of [() => decoded(Buffer.from('x'.repeat(20))), () => decoded(bytes.subarray(0, -1))])
      expect(reading).toThrow(GatewayError)
    expect(() => decoded(bytes.subarray(0, -1))).toThrow('ends inside a frame')
  })
})
