// Run for each file of tests, before it.

import { afterAll, afterEach } from 'vitest'
import { endFile, endTest } from './at-end.ts'

afterEach(endTest)
afterAll(endFile)
