// Calls that one reading alone puts right: none reaches a client unmended.

import { describeCalls } from './judge-calls.ts'

describeCalls('mended')
