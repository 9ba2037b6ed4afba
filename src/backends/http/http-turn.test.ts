import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../core/errors.ts'
import { over, settle, start, streaming, useFakeClock } from './http-turn.fixture.ts'

useFakeClock()

describe('a turn that is given up', () => {
  it('before it began: no request is sent', async () => {
    const { upstream, batches } = start()
    expect(await batches.return?.()).toEqual(over)
    expect(await batches.next()).toEqual(over)
    expect(upstream.requests).toBe(0)
  })

  it('during the request: the request is canceled and the pending batch ends', async () => {
    const { upstream, batches } = start()
    const pending = batches.next()
    expect(await batches.return?.()).toEqual(over)
    expect(await pending).toEqual(over)
    expect(upstream.canceled).toMatchObject([{ message: 'turn given up' }])
    expect(await batches.next()).toEqual(over)
    expect(upstream.requests).toBe(1)
  })

  it('just when the answer arrives: it is not read', async () => {
    const { upstream, batches } = start()
    const pending = batches.next()
    upstream.answer()
    await batches.return?.()
    upstream.send({ content: 'a' })
    expect(await pending).toEqual(over)
    expect(upstream.canceled).toHaveLength(1)
  })

  it.each([
    [500, 'application/json'],
    [200, 'application/json'],
  ])('while the whole of an answer is read (%i, %s)', async (status, type) => {
    const { upstream, batches } = start()
    const pending = batches.next()
    upstream.answer(status, type)
    await settle()
    await batches.return?.()
    expect(await pending).toEqual(over)
    expect(upstream.canceled).toHaveLength(1)
  })

  it('while a batch is pending', async () => {
    const { upstream, batches } = await streaming()
    const pending = batches.next()
    await batches.return?.()
    expect(await pending).toEqual(over)
    expect(upstream.canceled).toMatchObject([{ message: 'turn given up' }])
    expect(await batches.next()).toEqual(over)
  })

  it('between two batches, and more than once', async () => {
    const { upstream, batches } = await streaming()
    for (let n = 0; n < 2; n++) expect(await batches.return?.()).toEqual(over)
    expect(await batches.next()).toEqual(over)
    expect(upstream.canceled).toHaveLength(1)
  })

  it('after its end: the connection stays usable', async () => {
    const { upstream, batches } = await streaming()
    upstream.finish()
    expect((await batches.next()).value?.at(-1)).toMatchObject({ type: 'turn-end' })
    expect(await batches.return?.()).toEqual(over)
    expect(await batches.next()).toEqual(over)
    expect(upstream.canceled).toEqual([])
  })
})

describe('a turn that fails', () => {
  it('fails once and is over', async () => {
    const { upstream, batches } = await streaming()
    upstream.body.onError(new GatewayError('upstream-unavailable', 'broken'))
    await expect(batches.next()).rejects.toThrow('broken')
    expect(await batches.next()).toEqual(over)
  })

  it('during the request', async () => {
    const { upstream, batches } = start()
    const pending = batches.next()
    upstream.answer(503, 'text/plain')
    await settle()
    upstream.body.onEnd()
    await expect(pending).rejects.toThrow('status 503')
    expect(await batches.next()).toEqual(over)
  })

  it('if `onEvents` throws', async () => {
    const broken = () => {
      throw new Error('seen wrong')
    }
    const { upstream, batches } = start({ onEvents: broken })
    const pending = batches.next()
    upstream.answer()
    await settle()
    upstream.send({ content: 'a' })
    await expect(pending).rejects.toThrow('seen wrong')
    expect(upstream.canceled).toHaveLength(1)
  })

  it('if two batches are requested at once, without a second request', async () => {
    const { upstream, batches } = start()
    const pending = batches.next()
    await expect(batches.next()).rejects.toThrow('one batch at a time')
    upstream.answer()
    await settle()
    upstream.finish()
    expect((await pending).done).toBe(false)
    await batches.next()
    expect(upstream.requests).toBe(1)
  })
})
