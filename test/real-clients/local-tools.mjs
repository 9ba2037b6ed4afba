// The tools of the small agents around the libraries: files and commands in the folder they are started in.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const text = (description) => ({ type: 'string', description })
const schema = (properties) => ({ type: 'object', properties, required: Object.keys(properties) })

export const tools = {
  read_file: {
    description: 'Read a file',
    schema: schema({ path: text('the file') }),
    run: ({ path }) => readFileSync(path, 'utf8'),
  },
  write_file: {
    description: 'Write a file',
    schema: schema({ path: text('the file'), content: text('all of it') }),
    run({ path, content }) {
      writeFileSync(path, content)
      return `wrote ${content.length} characters`
    },
  },
  run_command: {
    description: 'Run a shell command',
    schema: schema({ command: text('the command line') }),
    run({ command }) {
      const { stdout, stderr, status } = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
      return status === 0 ? stdout : `${stdout}${stderr}\nExit code: ${status}`
    },
  },
}

/** What a failed tool says is its result. */
export function runTool(name, input) {
  try {
    return tools[name].run(input)
  } catch (error) {
    return `Error: ${error.message}`
  }
}
