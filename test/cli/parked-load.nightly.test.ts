import { it } from 'vitest'
import { parkAndResume } from './parked-load.ts'

it('1,000 parked runs all finish, on streams that the peer allows, in at most 400 MB', () =>
  parkAndResume(1_000))
