// The systemd unit of a user. https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html

import { type ServiceFacts, serveArguments } from './service-facts.ts'

export function systemdUnit(facts: ServiceFacts): string {
  const { node, program, configFile, stopSeconds } = facts
  const command = (words: readonly string[]) => words.map(inUnit).join(' ')
  return `# Written by \`dragoman service install\`; the next one replaces it. Variables: ${facts.envFile}

[Unit]
Description=Dragoman, a gateway between coding agents and model backends

[Service]
Type=exec
ExecStart=${command([node, ...serveArguments(facts)])}
# Fails with the reason if the file is wrong; the service goes on as it was.
ExecReload=${command([node, program, 'reload', '--config', configFile])}
WorkingDirectory=%h
Restart=on-failure
RestartSec=2
# 2: the configuration is wrong. A restart does not help.
RestartPreventExitStatus=2
# Running answers get 30 s to end.
TimeoutStopSec=${stopSeconds}

[Install]
WantedBy=default.target
`
}

/** A word of a command line. systemd fills in what begins with % or $. */
const inUnit = (word: string) =>
  /^[\w/.,:=@+-]+$/.test(word)
    ? word
    : `"${word.replace(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`
