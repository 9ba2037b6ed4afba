// What a Responses service takes and refuses: known by host and model, or learned from its refusals.

export interface ResponsesTraits {
  /** OpenAI itself, or Azure. Other servers get no field that only OpenAI has. */
  isOpenAI: boolean
  /** The values of `reasoning.effort`. Undefined: not known. Empty: the model does not reason. */
  efforts: readonly string[] | undefined
  /** The model reasons if the request states no effort. */
  reasonsByDefault: boolean
  /** Settings that the model refuses, and whether only while it reasons. */
  fixed: readonly string[]
  fixedWhile: 'always' | 'reasoning'
  /** Paths of fields that the service refuses, e.g. `reasoning.summary`. */
  refuses: readonly string[]
}

export type ResponsesLesson = Partial<ResponsesTraits>
