// `npm start`: install, build, then the gateway on embedded simulators. Extra arguments go to `dragoman demo`.
import { build, install, root } from './prepare.mjs'

install()
build()
// Whoever stops npm by its pid means the gateway: the shell between them hands no signal on.
const parent = process.ppid
setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGTERM'), 1_000).unref()

process.argv = [process.execPath, `${root}/dist/src/cli.js`, 'demo', ...process.argv.slice(2)]
await import(`${root}/dist/src/cli.js`)
