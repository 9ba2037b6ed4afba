import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, describe, expect, it } from 'vitest'
import { createTaskGroup } from './task-group.ts'

const first = createTaskGroup(10)
afterAll(() => first?.remove())

// Only root can create one, and in most containers not even root.
describe.skipIf(first === undefined)('a task group', () => {
  it('limits the number of tasks', async () => {
    const group = createTaskGroup(10)
    const [file = '', ...args] =
      group?.wrap(['bash', '-c', 'for i in $(seq 20); do sleep 20 & done 2>&1']) ?? []
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'ignore'] })
    // The shell says that it cannot start the next one, and tries again.
    const [said] = await once(child.stdout, 'data')
    expect(String(said)).toContain('fork')
    expect(group?.members().length).toBeGreaterThan(5)
    expect(group?.members().length).toBeLessThan(11)
    group?.kill()
    await once(child, 'exit')
    await group?.remove()
    expect(group?.members()).toEqual([])
  })

  it('ends all its tasks, in any session', async () => {
    const group = createTaskGroup(10)
    const [file = '', ...args] =
      group?.wrap(['sh', '-c', '(env -i setsid sleep 20 &); echo up; exec sleep 20']) ?? []
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'ignore'] })
    await once(child.stdout, 'data')
    expect(group?.members().length).toBeGreaterThan(0)
    group?.kill()
    const [, signal] = await once(child, 'exit')
    expect(signal).toBe('SIGKILL')
    await group?.remove()
    expect(group?.members()).toEqual([])
  })
})
