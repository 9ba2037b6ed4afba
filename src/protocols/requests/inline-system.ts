// A system message inside the conversation, for services that take one only at the start. Moved to the start it would change its
// meaning and invalidate prompt caches, so it stays in place, as marked user text.

export const inlineSystemNote = 'a system message inside the conversation was sent as user text'

export const inlineSystem = (text: string) => `<system>\n${text}\n</system>`
