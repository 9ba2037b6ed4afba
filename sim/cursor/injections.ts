// Words of the user for a run under way, and the service's response to them.

import type { InjectContextAction } from '../../proto/gen/agent/v1/run_pb.ts'
import type { AgentRun } from './agent-run.ts'

export type InjectionMode = 'taken' | 'rejected' | 'silent'

export function answerInjection(run: AgentRun, action: InjectContextAction, mode: InjectionMode): void {
  const { injectionId, expectedRunId, context } = action
  const said = context.case === 'userContext' ? context.value.userMessage?.text : context.value?.content
  run.record.injections.push(said ?? '')
  if (mode === 'silent' || expectedRunId === '') return
  const isTaken = mode === 'taken' && expectedRunId === run.record.request.runId
  for (const how of isTaken ? (['queued', 'delivered'] as const) : (['rejected'] as const)) {
    const value = { injectionId, state: { state: { case: how, value: {} } } }
    void run.update({ case: 'contextInjectionState', value })
  }
}
