#!/usr/bin/env node
// The command line.

import { keepCompiled } from './cli/compile-cache.ts'

// Before the program is loaded.
keepCompiled()
const { runProgram } = await import('./cli/program.ts')
await runProgram()
