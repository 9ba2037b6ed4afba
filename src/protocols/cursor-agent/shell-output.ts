// A streamed command's output, as far as it was sent before the command has ended: the rest is sent with its end.

import type { ExecReply } from './native.ts'

export type OutputStream = 'stdout' | 'stderr'

export class ShellOutput {
  readonly #sent = { stdout: 0, stderr: 0 }
  #hasStarted = false

  /** The events for a piece of output. */
  next(stream: OutputStream, data: string): ExecReply[] {
    const start = this.#hasStarted ? [] : [event({ case: 'start', value: {} })]
    this.#hasStarted = true
    this.#sent[stream] += data.length
    return [...start, event({ case: stream, value: { data } })]
  }

  /** Of all events of the command, those that are still to be sent. */
  rest(replies: readonly ExecReply[]): ExecReply[] {
    if (!this.#hasStarted) return [...replies]
    return replies.flatMap((reply) => {
      const said = reply.case === 'shellStream' ? reply.value.event : undefined
      if (said?.case === 'start') return []
      if (said?.case !== 'stdout' && said?.case !== 'stderr') return [reply]
      const data = (said.value.data ?? '').slice(this.#sent[said.case])
      return data === '' ? [] : [event({ case: said.case, value: { data } })]
    })
  }
}

type StreamEvent = NonNullable<Extract<ExecReply, { case: 'shellStream' }>['value']['event']>
const event = (value: StreamEvent): ExecReply => ({ case: 'shellStream', value: { event: value } })
