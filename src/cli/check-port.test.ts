import { mkdtempSync, rmSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { atTestEnd } from '../../test/at-end.ts'
import type { LoadedConfig } from '../config/load.ts'
import { controlFolder, writeControlFile } from '../process/control-file.ts'
import { checkPort } from './check-port.ts'

it('the port of a gateway that runs with this configuration is in order', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-port-'))
  const server = net.createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atTestEnd(() => {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const { port } = server.address() as AddressInfo
  const loaded = (file: string) => ({ file, config: { listen: { host: '127.0.0.1', port } } }) as LoadedConfig
  const record = { url: `http://127.0.0.1:${port}`, pid: process.pid, token: 'x', file: '/mine.jsonc' }
  writeControlFile(controlFolder(folder), record)
  expect(await checkPort(loaded('/mine.jsonc'), folder)).toMatchObject({
    status: 'ok',
    message: expect.stringContaining(
      `your gateway runs there with this configuration (process ${process.pid})`,
    ),
  })
  expect(await checkPort(loaded('/other.jsonc'), folder)).toMatchObject({ status: 'warning' })
})
