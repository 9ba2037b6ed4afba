// The name of this dialect in `TurnRequest.origin`.

export const dialect = 'ollama'
