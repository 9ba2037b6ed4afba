// The name of this dialect in `TurnRequest.origin`, opaque parts and lanes.

export const dialect = 'openai-chat'
