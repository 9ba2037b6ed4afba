import { describe, expect, it } from 'vitest'
import { CommandError } from '../command-error.ts'
import { Channel, type MessagePort, RemoteError, type Services } from './channel.ts'

/** Two connected channels; messages become plain data, as between processes. */
function pair<One extends Services, Other extends Services>(one: One, other: Other) {
  const listeners: ((message: unknown) => void)[] = []
  const port = (own: number): MessagePort => ({
    send: (message) => {
      const sent = JSON.parse(JSON.stringify(message)) as unknown
      queueMicrotask(() => listeners[1 - own]?.(sent))
    },
    onMessage: (listener) => {
      listeners[own] = listener
    },
  })
  return { toOther: new Channel<Other>(port(0), one), toOne: new Channel<One>(port(1), other) }
}

describe('calls between processes', () => {
  it('get their own answers, in any order', async () => {
    const { toOther, toOne } = pair(
      { double: (value: number) => value * 2 },
      { later: async (value: string) => value, nothing: () => undefined },
    )
    const answers = [toOther.call('later', 'a'), toOne.call('double', 21), toOther.call('nothing')]
    expect(await Promise.all(answers)).toEqual(['a', 42, undefined])
  })

  it('fail with the error of the other side, and with the exit code of a command', async () => {
    const { toOther } = pair(
      {},
      {
        refuse: () => {
          throw new CommandError('the port is in use', 2)
        },
        break: async () => {
          throw new Error('no space left')
        },
      },
    )
    const refused = await toOther.call('refuse').catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(RemoteError)
    expect(refused).toMatchObject({ message: 'the port is in use', exitCode: 2 })
    await expect(toOther.call('break')).rejects.toMatchObject({
      message: 'no space left',
      exitCode: undefined,
    })
  })

  it('are rejected when the other side ends', async () => {
    const { toOther } = pair({}, { never: () => new Promise<void>(() => undefined) })
    const waiting = toOther.call('never')
    toOther.close()
    await expect(waiting).rejects.toThrow('has ended')
    await expect(toOther.call('never')).rejects.toThrow('has ended')
  })
})
