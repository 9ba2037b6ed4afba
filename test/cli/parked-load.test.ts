import { it } from 'vitest'
import { parkAndResume } from './parked-load.ts'

it('100 parked runs all finish, on streams that the peer allows, in at most 400 MB', () => parkAndResume(100))
