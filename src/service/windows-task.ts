// The task of a user in the Task Scheduler of Windows.
// https://learn.microsoft.com/windows/win32/taskschd/task-scheduler-schema
//
// - The trigger names the user: a task for the logon of anybody needs an administrator.
// - A task shows the console of its program. conhost gives it one without a window; right after a logon that can fail, so the task
//   waits for a moment.
// - The scheduler keeps no output: cmd appends it to a file. Paths hold neither % nor quotes (service-file.ts refuses them), and inside
//   quotes cmd takes everything else as it is.

import { type ServiceFacts, serveArguments } from './service-facts.ts'
import { inXml } from './xml.ts'

export function windowsTask(facts: ServiceFacts, log: string): string {
  const words = [facts.node, ...serveArguments(facts)].map((word) => `"${word}"`)
  const command = `--headless cmd.exe /d /s /c "${words.join(' ')} >> "${log}" 2>&1"`
  return `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Dragoman, a gateway between coding agents and model backends. Written by "dragoman service install".</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
      <UserId>${inXml(facts.user)}</UserId>
      <Delay>PT15S</Delay>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>${inXml(facts.user)}</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>10</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>conhost.exe</Command>
      <Arguments>${inXml(command)}</Arguments>
      <WorkingDirectory>${inXml(facts.home)}</WorkingDirectory>
    </Exec>
  </Actions>
</Task>
`
}
