// The launchd agent of a user: a property list. See `man launchd.plist`.

import { services } from '../base/platform/rows.ts'
import { type ServiceFacts, serveArguments } from './service-facts.ts'
import { inXml } from './xml.ts'

export function launchdAgent(facts: ServiceFacts, log: string): string {
  const { node, home, stopSeconds } = facts
  const words = [node, ...serveArguments(facts)].map((word) => `    <string>${inXml(word)}</string>\n`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Written by "dragoman service install"; the next one replaces it. -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${services.name.macos}</string>
  <key>ProgramArguments</key>
  <array>
${words.join('')}  </array>
  <key>WorkingDirectory</key>
  <string>${inXml(home)}</string>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>ExitTimeOut</key>
  <integer>${stopSeconds}</integer>
  <key>StandardOutPath</key>
  <string>${inXml(log)}</string>
  <key>StandardErrorPath</key>
  <string>${inXml(log)}</string>
</dict>
</plist>
`
}
