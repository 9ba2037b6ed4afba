import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { childStdio, openPipes } from './output-pipe.ts'

it('can be opened by its path', async () => {
  const [pipe] = (await openPipes(1)) ?? []
  if (!pipe) throw new Error('no mkfifo')
  const { stdio, close } = childStdio([pipe.writer, pipe.writer])
  spawn('sh', ['-c', 'echo one > /dev/stdout; echo two > /dev/stderr; readlink /proc/self/fd/0'], { stdio })
  close()
  closeSync(pipe.writer)
  expect(await text(pipe.reader)).toBe('one\ntwo\n/dev/null\n')
})

it('passes on no inherited descriptors', async () => {
  const { stdio, close } = childStdio(['pipe', 'pipe'], [4, 9])
  const child = spawn('sh', ['-c', 'for fd in 4 9; do readlink /proc/self/fd/$fd; done'], { stdio })
  close()
  expect(await text(child.stdout as NonNullable<typeof child.stdout>)).toBe('/dev/null\n/dev/null\n')
})
