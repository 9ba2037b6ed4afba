import { describeLongFragments } from './long-fragments.ts'

describeLongFragments(0, 2)
