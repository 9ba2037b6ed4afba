// Injected faults as data: what the upstream does instead of answering, or what the client does with the answer.

const refusal = { error: { type: 'api_error', message: 'made to fail by the soak' } }
const half = { say: 'half of an ans' }
const times = (count, steps) => Array.from({ length: count }, () => steps)

/** By name: the scripted turns for one request and its retries. */
export const httpFaults = {
  'one 500': [[{ status: 500, body: refusal }]],
  'one 429': [[{ status: 429, headers: { 'retry-after-ms': '50' }, body: refusal }]],
  '503 for good': times(3, [{ status: 503, body: refusal }]),
  '529 for good': times(3, [{ status: 529, body: refusal }]),
  '429 with a long Retry-After': [[{ status: 429, headers: { 'retry-after': '60' }, body: refusal }]],
  'a web page': [[{ status: 200, body: '<html>login</html>' }]],
  'an empty answer': [[{ status: 200, headers: { 'content-type': 'text/event-stream' }, body: '' }]],
  'reset at once': [[{ fault: 'reset' }]],
  'reset for good': times(3, [{ fault: 'reset' }]),
  'reset in the answer': times(3, [half, { wait: 10 }, { fault: 'reset' }]),
  'end in the answer': times(3, [half, { wait: 10 }, { fault: 'fin' }]),
  'half a frame': times(3, [half, { fault: 'truncate' }, { say: 'wer' }]),
  silence: [[{ fault: 'hang' }]],
  'silence in the answer': [[half, { fault: 'hang' }]],
}

export const cursorFaults = {
  'one 500': [[{ status: 500, body: refusal }]],
  '503 for good': times(3, [{ status: 503, body: refusal }]),
  'a web page': [[{ status: 200, body: '<html>login</html>' }]],
  'rate limit': times(3, [{ error: { code: 'resource_exhausted', details: { error: 50, title: 'Slow' } } }]),
  'reset at once': [[{ bare: true }, { fault: 'reset' }]],
  'reset in the answer': [[half, { wait: 10 }, { fault: 'reset' }]],
  'stream reset': [[half, { wait: 10 }, { fault: 'rst-stream' }]],
  'end in the answer': [[half, { fault: 'fin' }]],
  'half a frame': [[half, { fault: 'truncate' }, { say: 'wer' }]],
  'a lying length': [[half, { fault: 'lying-length' }, { say: 'wer' }]],
  'GOAWAY 0': [[{ fault: 'goaway' }, half, { fault: 'rst-stream' }]],
  'GOAWAY 11': [[half, { fault: 'goaway', code: 11 }, { fault: 'hang' }]],
  'no end of stream': [[half, { end: 'frame-only' }]],
  'a gzip bomb': [[half, { fault: 'gzip-bomb' }]],
  'heartbeats only': [[{ heartbeats: { everyMs: 200, count: 'forever' } }]],
  silence: [[half, { fault: 'hang' }]],
}

/** Breaks the stream of a run this long after it was parked or resumed. */
export const breakDelaysMs = { 'a parked run breaks': 0, 'a run breaks with its results': 3 }

export const clientFaults = {
  'leaves at once': { leaveAfterMs: 0 },
  'leaves before the first token': { leaveAfterMs: 4 },
  'leaves in the answer': { leaveAfterBytes: 200 },
  'resets in the answer': { leaveAfterBytes: 200, reset: true },
  'reads slowly': { pauseMs: 10 },
}
