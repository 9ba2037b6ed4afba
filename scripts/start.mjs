// `npm start`: install, build, then the gateway on embedded simulators. Extra arguments go to `dragoman demo`.
import { build, install, root } from './prepare.mjs'

install()
build()
// A signal to npm's pid is meant for the gateway, but the shell between them does not forward it.
const parent = process.ppid
setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGTERM'), 1_000).unref()

process.argv = [process.execPath, `${root}/dist/src/cli.js`, 'demo', ...process.argv.slice(2)]
await import(`${root}/dist/src/cli.js`)
