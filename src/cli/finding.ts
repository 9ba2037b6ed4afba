export interface Finding {
  check: string
  status: 'ok' | 'warning' | 'problem'
  message: string
}
