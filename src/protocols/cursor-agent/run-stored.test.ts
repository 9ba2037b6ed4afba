import { describe, expect, it } from 'vitest'
import { Stage } from './run.fixture.ts'

describe('an answer that was only stored in a blob', () => {
  const assistant = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] })

  it('is given once, with a note, when nothing else arrives', () => {
    const stage = new Stage()
    stage.setBlob(assistant('from the blob'))
    stage.setBlob(assistant('from the blob'))
    for (let n = 0; n < 32; n++) {
      stage.update({ case: 'heartbeat', value: {} })
      stage.pass(1_000)
    }
    expect(stage.said).toBe('from the blob')
    expect(stage.end).toMatchObject({ type: 'turn-end', reason: 'stop' })
    expect(stage.notes).toEqual([expect.stringContaining('without streaming')])
  })

  it('is not lost after an empty text delta', () => {
    const stage = new Stage()
    stage.setBlob(assistant('from the blob'))
    stage.text('')
    stage.update({ case: 'turnEnded', value: {} })
    expect(stage.said).toBe('from the blob')
  })

  it('is not a blob of the client itself', () => {
    const stage = new Stage()
    const id = stage.blobs.add(Buffer.from(JSON.stringify(assistant('of the history'))))
    const value = { blobId: id, blobData: stage.blobs.get(id) ?? new Uint8Array() }
    stage.server({ case: 'kvServerMessage', value: { id: 7, message: { case: 'setBlobArgs', value } } })
    stage.update({ case: 'turnEnded', value: {} })
    expect(stage.said).toBe('')
  })

  it('is given at turn_ended', () => {
    const stage = new Stage()
    stage.setBlob({ role: 'assistant', content: 'plain' })
    stage.update({ case: 'turnEnded', value: {} })
    expect(stage.said).toBe('plain')
  })

  it('is not given if it was streamed, was said before, or is no answer', () => {
    const streamed = new Stage()
    streamed.text('streamed')
    streamed.setBlob(assistant('streamed'))
    const before = new Stage({}, ['said before'])
    before.setBlob(assistant('said before'))
    const user = new Stage()
    user.setBlob({ role: 'user', content: 'question' })
    const call = new Stage()
    call.setBlob({ role: 'assistant', content: [{ type: 'tool-call', toolName: 'x', args: {} }] })
    for (const [stage, said] of [
      [streamed, 'streamed'],
      [before, ''],
      [user, ''],
      [call, ''],
    ] as const) {
      stage.pass(60_000)
      stage.update({ case: 'turnEnded', value: {} })
      expect(stage.said).toBe(said)
      expect(stage.notes).not.toContainEqual(expect.stringContaining('stored'))
    }
  })
})
