// `npm start`: install, build, then the gateway on embedded simulators. Extra arguments go to `dragoman demo`.
import { build, install, root } from './prepare.mjs'

install()
build()
process.argv = [process.execPath, `${root}/dist/src/cli.js`, 'demo', ...process.argv.slice(2)]
await import(`${root}/dist/src/cli.js`)
