// What is noted of the turn of a model that writes its calls as text.

export const turnNotes = {
  again: {
    malformed: 'a tool call that could not be read was asked for again',
    'no-call': 'a tool call that had to come and did not was asked for',
  },
  unreadable: 'a tool call could not be read and is shown as text',
  lost: 'a tool call could not be read and was left out',
  aside: 'what the model said beside its second try was left out',
  repeated: 'a call that was repeated in the second answer was left out',
  first: 'the answer was cut behind its first call: one at a time was asked for',
  madeUp: 'the model went on to make up results of its calls; the answer was cut there',
  respelt: 'escaped markup in the arguments of a call was turned back',
  none: 'the model made no tool call',
}
