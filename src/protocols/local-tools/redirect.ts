// A job → a call: of the gateway's own tool if those are offered, otherwise of a client's tool.

import type { Tool } from '../../core/request.ts'
import type { Job, Redirect } from '../client-tools/job.ts'
import { redirect as redirectToClient, withoutEmptyRange } from '../client-tools/redirect.ts'
import { toLocalInput } from './calls.ts'
import { isAnyLocalTool, isLocalTool } from './definitions.ts'
import { fromResultText } from './results.ts'

export function redirect(
  job: Job,
  tools: readonly Tool[],
  options: { workspace?: string } = {},
): Redirect | undefined {
  return tools.some(isAnyLocalTool)
    ? redirectToLocal(withoutEmptyRange(job), tools)
    : redirectToClient(job, tools, options)
}

/** The gateway's own tools are offered alone. A kind of job that is not among them is not allowed. */
function redirectToLocal(job: Job, tools: readonly Tool[]): Redirect | undefined {
  const tool = tools.find((one) => isLocalTool(one, job.kind))
  if (tool === undefined) return undefined
  return { tool: tool.name, input: toLocalInput(job), read: (result) => fromResultText(job, result) }
}
