// A system message inside the conversation, for services that take one in front only. At the front it would change its
// meaning and spoil prompt caches; so it stays where it is, as text of the user's that says what it is.

export const inlineSystemNote = 'a system message inside the conversation was sent as user text'

export const inlineSystem = (text: string) => `<system>\n${text}\n</system>`
