// The span of a tool run, at the gateway or at the client.

import { names } from './attributes.ts'
import { type Span, spanKinds } from './span.ts'
import { newSpanId } from './trace-context.ts'

interface ToolFacts {
  callId: string
  name: string
  isError: boolean
}

type SharedParts = Omit<Span, 'traceId' | 'parentSpanId' | 'traceState' | 'start' | 'end' | 'links'>

export const toolSpan = ({ callId, name, isError }: ToolFacts): SharedParts => ({
  ...{ spanId: newSpanId(), hasRemoteParent: false, name: `execute_tool ${name}`, kind: spanKinds.internal },
  attributes: [
    [names.operation, 'execute_tool'],
    [names.toolName, name],
    [names.toolCallId, callId],
    [names.toolType, 'function'],
    [names.errorType, isError ? 'tool_error' : undefined],
  ],
  ...{ events: [], droppedEvents: 0 },
  error: isError ? { message: undefined } : undefined,
})
