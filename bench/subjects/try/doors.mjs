// What `try.mjs` asks, and how it reads what comes: one { text, calls, stop } for every dialect.

const tools = [
  {
    name: 'read',
    description: 'Reads a file.',
    schema: {
      type: 'object',
      properties: { path: { type: 'string' }, limit: { type: 'integer' }, note: { type: 'string' } },
      required: ['path'],
    },
  },
  { name: 'list', description: 'Lists files.', schema: { type: 'object', properties: {} } },
]

export const doors = {
  chat: {
    body: (model, stream) => ({
      model,
      stream,
      ...(stream ? { stream_options: { include_usage: true } } : {}),
      max_tokens: 1_000,
      messages: [
        { role: 'system', content: 'You use tools.' },
        { role: 'user', content: 'Look at both.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_0', type: 'function', function: { name: 'read', arguments: '{"path":"b"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_0', content: 'nothing there' },
      ],
      tools: tools.map(({ name, description, schema }) => ({
        type: 'function',
        function: { name, description, parameters: schema },
      })),
    }),
    whole: ({ choices: [{ message, finish_reason }] }) => ({
      text: message.content,
      calls: (message.tool_calls ?? []).map(({ function: { name, arguments: input } }) => ({ name, input })),
      stop: finish_reason,
    }),
    streamed(events) {
      const answer = { text: '', calls: [], stop: undefined }
      for (const { data } of events) {
        if (data === '[DONE]') continue
        const choice = JSON.parse(data).choices?.[0]
        answer.text += choice?.delta?.content ?? ''
        answer.stop = choice?.finish_reason ?? answer.stop
        for (const { index, function: part } of choice?.delta?.tool_calls ?? []) {
          answer.calls[index] ??= { name: '', input: '' }
          answer.calls[index].name += part?.name ?? ''
          answer.calls[index].input += part?.arguments ?? ''
        }
      }
      return answer
    },
  },
  messages: {
    body: (model, stream) => ({
      model,
      stream,
      max_tokens: 1_000,
      system: 'You use tools.',
      messages: [
        { role: 'user', content: 'Look at both.' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'call_0', name: 'read', input: { path: 'b' } }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_0', content: 'nothing there' }] },
      ],
      tools: tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
    }),
    whole: ({ content, stop_reason }) => ({
      text: content
        .filter(({ type }) => type === 'text')
        .map(({ text }) => text)
        .join(''),
      calls: content
        .filter(({ type }) => type === 'tool_use')
        .map(({ name, input }) => ({ name, input: JSON.stringify(input) })),
      stop: stop_reason,
    }),
    streamed(events) {
      const answer = { text: '', calls: [], stop: undefined }
      const calls = new Map()
      for (const { data } of events) {
        const { index, content_block: block, delta } = JSON.parse(data)
        if (block?.type === 'tool_use') calls.set(index, { name: block.name, input: '' })
        if (delta?.type === 'input_json_delta') calls.get(index).input += delta.partial_json
        answer.text += delta?.type === 'text_delta' ? delta.text : ''
        answer.stop = delta?.stop_reason ?? answer.stop
      }
      answer.calls = [...calls.values()]
      return answer
    },
  },
}
