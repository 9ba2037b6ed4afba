// Turn markers of chat templates. Many servers act on them anywhere in a text: a tool result that contains one would continue
// as a system or user message.

const speakers = ['system', 'user', 'assistant', 'observation']
const barred = [
  'im_start', 'im_end', 'im_sep', 'im_system', 'im_user', 'im_assistant', 'im_middle',
  'start_header_id', 'end_header_id', 'eot_id', 'eom_id', 'begin_of_text', 'end_of_text', 'endoftext', 'end',
  'start', 'message', 'channel', 'call', 'return', 'header_start', 'header_end', 'eot',
  'START_OF_TURN_TOKEN', 'END_OF_TURN_TOKEN', 'SYSTEM_TOKEN', 'USER_TOKEN', 'CHATBOT_TOKEN',
] // biome-ignore format: a list to be read as one

const deepseek = ['User', 'Assistant', 'begin▁of▁sentence', 'end▁of▁sentence']
const bracketed = ['INST', '/INST', 'SYSTEM_PROMPT', '/SYSTEM_PROMPT', 'AVAILABLE_TOOLS', 'TOOL_RESULTS']

export const turnMarkers: readonly string[] = [
  ...[...speakers, ...barred].map((word) => `<|${word}|>`),
  ...deepseek.map((word) => `<｜${word}｜>`),
  ...bracketed.map((word) => `[${word}]`),
  '<start_of_turn>',
  '<end_of_turn>',
  '<<SYS>>',
  '<</SYS>>',
]
