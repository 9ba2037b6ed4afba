// What is measured: tools as coding agents and servers declare them, each with a call of a usual size.

import { editorAgent, terminalAgent } from './agent-tools.mjs'
import { files, server } from './server-tools.mjs'

export const tools = [...terminalAgent, ...editorAgent, ...server, ...files]
