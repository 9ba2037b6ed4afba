// What the bench takes from the tests, as one module.

export { ask } from '../../test/malformed-calls/doors.ts'
export { kinds } from '../../test/malformed-calls/kinds.ts'
export { firstAnswer, secondAnswer, toolsOf } from '../../test/malformed-calls/script.ts'
export { startScriptedModel } from '../../test/malformed-calls/scripted-model.ts'
export { outcomeOf, worst } from './outcome.ts'
