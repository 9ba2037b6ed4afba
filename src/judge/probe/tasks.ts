// All tasks in the order in which they run: the basic ones first.

import { nearest } from '../../base/nearest.ts'
import { groupOf, type Task } from './task.ts'
import { bigArguments } from './tasks/big-arguments.ts'
import { bigResults } from './tasks/big-results.ts'
import { code } from './tasks/code.ts'
import { manyTools } from './tasks/many-tools.ts'
import { noArguments } from './tasks/no-arguments.ts'
import { noCall } from './tasks/no-call.ts'
import { oneCallAtATime } from './tasks/one-at-a-time.ts'
import { parallel } from './tasks/parallel.ts'
import { recovery } from './tasks/recovery.ts'
import { rightTool } from './tasks/right-tool.ts'
import { single } from './tasks/single.ts'
import { steps } from './tasks/steps.ts'
import { stop } from './tasks/stop.ts'
import { toolChoice } from './tasks/tool-choice.ts'
import { types } from './tasks/types.ts'
import { unicode } from './tasks/unicode.ts'
import { usesResult } from './tasks/uses-result.ts'

/** Groups, named by the first part of their tasks' ids. */
export const groups: readonly { name: string; title: string; tasks: readonly Task[] }[] = [
  { name: 'single', title: 'one call', tasks: single },
  { name: 'no-arguments', title: 'a call without arguments', tasks: noArguments },
  { name: 'right-tool', title: 'the right tool of several', tasks: rightTool },
  { name: 'parallel', title: 'several calls at once', tasks: parallel },
  { name: 'steps', title: 'steps that build on each other', tasks: steps },
  { name: 'code', title: 'code and escapes, to the byte', tasks: code },
  { name: 'unicode', title: 'beyond ASCII, to the byte', tasks: unicode },
  { name: 'types', title: 'numbers, choices, lists, objects', tasks: types },
  { name: 'no-call', title: 'no call where none is needed', tasks: noCall },
  { name: 'tool-choice', title: 'tool_choice is followed', tasks: toolChoice },
  { name: 'recovery', title: 'tools that fail', tasks: recovery },
  { name: 'stop', title: 'stops when all is done', tasks: stop },
  { name: 'uses-result', title: 'the answer uses the result', tasks: usesResult },
  { name: 'many-tools', title: 'forty tools', tasks: manyTools },
  { name: 'one-at-a-time', title: 'parallel_tool_calls: false', tasks: oneCallAtATime },
  { name: 'big-results', title: 'results of 50 KB', tasks: bigResults },
  { name: 'big-arguments', title: 'arguments of 8 and 30 KB', tasks: bigArguments },
]

export const allTasks: readonly Task[] = groups.flatMap(({ tasks }) => tasks)

/** The tasks for names of groups or ids, or the problem with a name. */
export function chooseTasks(names: readonly string[]): { tasks: readonly Task[] } | { problem: string } {
  if (names.length === 0) return { tasks: allTasks }
  const known = new Set([...groups.map(({ name }) => name), ...allTasks.map(({ id }) => id)])
  const unknown = names.find((name) => !known.has(name))
  if (unknown === undefined)
    return { tasks: allTasks.filter((task) => names.includes(task.id) || names.includes(groupOf(task))) }
  const close = nearest(unknown, known)
  const hint =
    close.length > 0
      ? `Did you mean ${close.join(', ')}?`
      : `The groups are ${groups.map(({ name }) => name).join(', ')}.`
  return { problem: `There is no task or group "${unknown}". ${hint}` }
}
