// tool_choice: none, required, or a named tool.

import { calledNothing, firstCalls } from '../checks.ts'
import type { Task, Tool } from '../task.ts'
import { getTime, getWeather, object, string, user, weatherOf } from './tools.ts'

const logQuestion: Tool = {
  name: 'log_question',
  description: 'Writes down what the user asked.',
  schema: object({ question: string('In the words of the user') }),
}

export const toolChoice: readonly Task[] = [
  {
    id: 'tool-choice.none',
    title: 'none: calls nothing, although a tool would fit',
    weight: 1,
    tools: [getWeather],
    messages: [user('What is the weather in Lima right now?')],
    toolChoice: 'none',
    reply: ({ input }) => weatherOf(input),
    ideal: [{ text: 'I cannot look that up now.' }],
    judge: [calledNothing],
  },
  {
    id: 'tool-choice.required',
    title: 'required: calls a tool, although none is needed',
    weight: 2,
    tools: [getTime, getWeather],
    messages: [user('Good morning! How are you?')],
    toolChoice: 'required',
    reply: ({ name, input }) => (name === 'get_time' ? '08:05 UTC' : weatherOf(input)),
    ideal: [{ calls: [['get_time', {}]] }, { text: 'Good morning! It is five past eight.' }],
    judge: [firstCalls()],
  },
  {
    id: 'tool-choice.named',
    title: 'a named tool: calls that tool, although another fits better',
    weight: 2,
    tools: [getWeather, logQuestion],
    messages: [user('What is the weather in Cairo right now?')],
    toolChoice: { name: 'log_question' },
    reply: ({ name, input }) => (name === 'log_question' ? 'noted' : weatherOf(input)),
    ideal: [
      { calls: [['log_question', { question: 'What is the weather in Cairo right now?' }]] },
      { calls: [['get_weather', { city: 'Cairo' }]] },
      { text: 'It is 31 C in Cairo, and clear.' },
    ],
    judge: [firstCalls('log_question')],
  },
]
