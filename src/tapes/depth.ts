// The depth limit for JSON from outside: recursive code must not overflow the stack.

import { isDeeper } from '../base/depth.ts'

const deepest = 200

export const isTooDeep = (value: unknown): boolean => isDeeper(value, deepest)
