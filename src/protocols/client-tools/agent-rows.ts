// The vocabulary's rows of agents that were run: Cline's CLI 3.0.65, Continue's CLI 1.5.47, GitHub Copilot CLI 1.0.102, Goose 1.52.0,
// Grok Build 1.0.41, Grok CLI 0.0.34, Kimi Code 2.1.0, pi 0.73.1. (Kilo 7.7.7 has OpenCode's tools.)
//
// A tool that cannot do all of a job has no row, and the client's shell does it: `create` of Copilot and `editor` of Cline's CLI refuse
// a file that exists, the searches of Cline's CLI and of Grok CLI do not show the lines they find, and Goose's `tree` counts lines.

import {
  clineCliFile,
  continueFile,
  copilotFile,
  grokBuildFile,
  grokCliFile,
  kimiFile,
  piFile,
} from './agent-files.ts'
import {
  clineCliShell,
  continueShell,
  copilotShell,
  exitedShell,
  grokBuildShell,
  grokCliShell,
  kimiShell,
} from './agent-shells.ts'
import type { Row } from './row.ts'
import {
  unwrapCline,
  unwrapContinue,
  unwrapContinueList,
  unwrapContinueSearch,
  unwrapGrokBuildGrep,
  unwrapGrokCliSearch,
  unwrapKimi,
} from './unwrap.ts'

const clineRows: readonly Row[] = [
  { kind: 'read', client: 'cline', names: ['read_files'], needs: ['files'], format: clineCliFile },
  { kind: 'shell', client: 'cline', names: ['run_commands'], needs: ['commands'], format: clineCliShell },
  { kind: 'fetch', client: 'cline', names: ['fetch_web_content'], needs: ['requests'] },
]

const continueRows: readonly Row[] = [
  {
    kind: 'read',
    client: 'continue',
    names: ['Read'],
    needs: ['filepath'],
    lacks: ['limit'],
    format: continueFile,
    unwrap: unwrapContinue,
  },
  {
    kind: 'shell',
    client: 'continue',
    names: ['Bash'],
    needs: ['command'],
    lacks: ['description'],
    format: continueShell,
  },
  {
    kind: 'write',
    client: 'continue',
    names: ['Write'],
    needs: ['filepath', 'content'],
    unwrap: unwrapContinue,
  },
  { kind: 'list', client: 'continue', names: ['List'], needs: ['dirpath'], unwrap: unwrapContinueList },
  {
    kind: 'grep',
    client: 'continue',
    names: ['Search'],
    needs: ['pattern', 'filepattern'],
    inlineFlags: true,
    unwrap: unwrapContinueSearch,
  },
  { kind: 'fetch', client: 'continue', names: ['Fetch'], needs: ['url'], lacks: ['prompt'] },
]

const copilotRows: readonly Row[] = [
  {
    kind: 'read',
    client: 'copilot',
    names: ['view'],
    needs: ['path', 'viewrange'],
    // Without it, a file of more than 20 KB is not shown.
    sends: { forcereadlargefiles: true },
    format: copilotFile,
  },
  {
    kind: 'shell',
    client: 'copilot',
    names: ['bash'],
    needs: ['command', 'shellid'],
    format: copilotShell,
  },
  {
    kind: 'grep',
    client: 'copilot',
    names: ['grep'],
    needs: ['pattern', 'paths'],
    inlineFlags: true,
    sends: { n: true },
  },
  { kind: 'glob', client: 'copilot', names: ['glob'], needs: ['pattern', 'paths'] },
]

const gooseRows: readonly Row[] = [
  {
    kind: 'shell',
    client: 'goose',
    names: ['shell', 'developer__shell'],
    needs: ['command', 'timeoutsecs'],
    format: exitedShell,
  },
  {
    kind: 'write',
    client: 'goose',
    names: ['write', 'developer__write'],
    needs: ['path', 'content'],
    says: /\boverwrite an existing file\b/,
  },
]

const grokRows: readonly Row[] = [
  // xAI's Grok Build
  {
    kind: 'read',
    client: 'grok-build',
    names: ['read_file'],
    needs: ['targetfile', 'offset', 'limit'],
    format: grokBuildFile,
  },
  {
    kind: 'shell',
    client: 'grok-build',
    names: ['run_terminal_command'],
    needs: ['command', 'background', 'description'],
    format: grokBuildShell,
  },
  {
    kind: 'grep',
    client: 'grok-build',
    names: ['grep'],
    needs: ['pattern', 'headlimit', 'i'],
    lacks: ['outputmode'],
    inlineFlags: true,
    unwrap: unwrapGrokBuildGrep,
  },

  // Grok CLI (@vibe-kit/grok-cli)
  {
    kind: 'read',
    client: 'grok-cli',
    names: ['view_file'],
    needs: ['path', 'startline', 'endline'],
    format: grokCliFile,
    // Without a range it shows ten lines.
    wholeRange: { offset: 1, limit: 1_000_000 },
  },
  {
    kind: 'shell',
    client: 'grok-cli',
    names: ['bash'],
    needs: ['command'],
    lacks: ['timeout', 'description'],
    says: /^Execute a bash command$/,
    format: grokCliShell,
  },
  {
    kind: 'write',
    client: 'grok-cli',
    names: ['create_file'],
    needs: ['path', 'content'],
    says: /^Create a new file with specified content$/,
  },
  {
    kind: 'grep',
    client: 'grok-cli',
    names: ['search'],
    needs: ['query', 'searchtype'],
    inlineFlags: true,
    countsOnly: true,
    sends: { searchtype: 'text', regex: true },
    unwrap: unwrapGrokCliSearch,
  },
]

const kimiRows: readonly Row[] = [
  {
    kind: 'read',
    client: 'kimi',
    names: ['Read'],
    needs: ['path', 'lineoffset'],
    format: kimiFile,
  },
  {
    kind: 'shell',
    client: 'kimi',
    names: ['Bash'],
    needs: ['command', 'disabletimeout'],
    format: kimiShell,
  },
  { kind: 'write', client: 'kimi', names: ['Write'], needs: ['path', 'content', 'mode'] },
  {
    kind: 'grep',
    client: 'kimi',
    names: ['Grep'],
    needs: ['pattern', 'outputmode', 'includeignored'],
    inlineFlags: true,
  },
  {
    kind: 'glob',
    client: 'kimi',
    names: ['Glob'],
    needs: ['pattern', 'includeignored'],
  },
  { kind: 'fetch', client: 'kimi', names: ['FetchURL'], needs: ['url'] },
]

const piRows: readonly Row[] = [
  {
    kind: 'read',
    client: 'pi',
    names: ['read'],
    needs: ['path', 'offset', 'limit'],
    format: piFile,
  },
  {
    kind: 'shell',
    client: 'pi',
    names: ['bash'],
    needs: ['command', 'timeout'],
    lacks: ['workdir', 'description'],
    says: /\bReturns stdout and stderr\b/,
    format: exitedShell,
  },
  {
    kind: 'write',
    client: 'pi',
    names: ['write'],
    needs: ['path', 'content'],
    says: /\boverwrites if it does\b/,
  },
]

/** `unwrap` of a client whose every tool has it. */
const everywhere = (rows: readonly Row[], unwrap: NonNullable<Row['unwrap']>): Row[] =>
  rows.map((row) => ({ ...row, unwrap }))

export const agentRows: readonly Row[] = [
  ...everywhere(clineRows, unwrapCline),
  ...continueRows,
  ...copilotRows,
  ...gooseRows,
  ...grokRows,
  ...everywhere(kimiRows, unwrapKimi),
  ...piRows,
]
