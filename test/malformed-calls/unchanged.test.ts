// Calls that fit, and calls that nothing puts right: none is changed. The latter are noted, or asked for again.

import { describeCalls } from './judge-calls.ts'

describeCalls('fits', 'ambiguous', 'unfit', 'broken')
