/** Text in backticks becomes code. */
export const withCommands = (text: string) =>
  text.split('`').map((part, place) => (place % 2 === 0 ? part : <code key={place}>{part}</code>))
