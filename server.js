// OpenCode 2 looks for this file in a folder that its configuration names; OpenCode 1 and packages are served by package.json.

export { default } from './dist/src/plugin/opencode.js'
