// The output of a streamed command that was sent before the command ended. The rest is sent with the end.

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

  /** The events that are still to be sent, out of all events of the command. */
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
