// Notes on a turn whose calls are text.

export const turnNotes = {
  again: {
    malformed: 'a tool call that could not be read was asked for again',
    'no-call': 'a required tool call was missing and was asked for',
  },
  unreadable: 'a tool call could not be read and is shown as text',
  lost: 'a tool call could not be read and was left out',
  aside: 'text beside the corrected call was left out',
  repeated: 'a call that was repeated in the second answer was left out',
  first: 'the answer was cut after its first call: the request allows one call at a time',
  madeUp: 'the model made up results of its own calls; the answer was cut there',
  respelt: 'escaped markup in the arguments of a call was unescaped',
  none: 'the model made no tool call',
}
