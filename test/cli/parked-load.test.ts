import { it } from 'vitest'
import { isNightly } from '../depth.ts'
import { parkAndResume } from './parked-load.ts'

it.runIf(isNightly)('100 parked runs all finish, on streams that the peer allows, in at most 400 MB', () =>
  parkAndResume(100),
)
