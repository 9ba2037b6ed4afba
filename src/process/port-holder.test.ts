import { expect, it } from 'vitest'
import { commandWords, listeningInodes } from './port-holder.ts'

it('finds the sockets that listen on a port, and no others', () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:4935 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100 0 0 10 0
   1: 0100007F:4935 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 4712 1 0 20 4 30 10 -1
   2: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 100 0 0 10 0
`
  expect(listeningInodes(table, 18_741)).toEqual(['socket:[4711]'])
  expect(listeningInodes(table, 80)).toEqual([])
  expect(listeningInodes('', 80)).toEqual([])
})

it.each<[string[], string]>([
  [['/usr/bin/node', 'dist/src/cli.js', 'serve', '--port', '1'], 'node dist/src/cli.js serve'],
  [['python3', '-m', 'http.server'], 'python3'],
  [['server', 'API_KEY=hunter2'], 'server'],
  [['server', 'sk-ant-api03-AbCdEfGhIjKlMnOp'], 'its command is not shown'],
  [['a\u001b[31m', 'b\n'], 'a\\u{1b}[31m b\\u{a}'],
  [[''], 'its command is not shown'],
])('shows the first words of %j', (words, shown) => {
  expect(commandWords(words)).toBe(shown)
})
