import { describeLongFragments } from './long-fragments.ts'

describeLongFragments(1, 2)
