// The name of this dialect, by which a request says where it came from.

export const dialect = 'anthropic-messages'
