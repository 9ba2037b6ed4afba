// JSON from outside may be nested deeper than what works on it can follow.

import { isDeeper } from '../base/depth.ts'

const deepest = 200

export const isTooDeep = (value: unknown): boolean => isDeeper(value, deepest)
