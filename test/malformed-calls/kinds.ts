// All kinds of calls, those that fit among them.

import type { Kind } from './kind.ts'
import { brokenKinds } from './kinds/broken.ts'
import { digitKinds } from './kinds/digits.ts'
import { fittingKinds } from './kinds/fits.ts'
import { nameKinds } from './kinds/names.ts'
import { parameterKinds } from './kinds/parameters.ts'
import { unfitKinds } from './kinds/unfit.ts'
import { valueKinds } from './kinds/values.ts'

export const kinds: readonly Kind[] = [
  ...nameKinds,
  ...valueKinds,
  ...digitKinds,
  ...parameterKinds,
  ...unfitKinds,
  ...brokenKinds,
  ...fittingKinds,
]
