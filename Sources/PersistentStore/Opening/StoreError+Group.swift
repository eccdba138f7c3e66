extension StoreError {
    /// A group of errors that have the same remedy.
    @nonexhaustive
    public enum Group: Hashable, Sendable, CaseIterable {
        /// The model does not fit the store. Correct the model, or update the program.
        case model
        /// The call is wrong in any state of the store. Correct the program.
        case request
        /// The store does not accept the values. Change them.
        case value
        /// Another writer saved first. Resolve the conflict, and save again.
        case conflict
        /// The process may not use the file in this way. Change the permissions, or open it in another way.
        case permission
        /// The file, or its disk, has a problem that the user must solve.
        case file
        /// The history after a position is missing. Do a full refresh, or register the consumer.
        case history
        /// Another process is writing. Try again.
        case busy
        /// The task was canceled, or the store closed.
        case ended
    }

    /// The group of the error, for a program that does not distinguish all of them.
    public var group: Group {
        switch self {
        case .invalidModel, .differentModel, .newerStore, .unreadableModel, .cannotMigrate, .schemaChanged,
            .cannotAttach:
            .model
        case .unknownEntity, .unknownAttribute, .notNumeric, .predicateTooComplex, .untracked, .notAFilePath,
            .objectOfAnotherStore, .transactionOfAnotherStore, .noTombstone,
            .attached, .isStore, .notAttached, .needsWAL:
            .request
        case .invalidValue, .constraint, .deletionDenied, .missingReference, .tooBig, .changeDiscarded,
            .noIDLeft:
            .value
        case .conflict: .conflict
        case .notWritable, .openedReadOnly, .otherOwner, .writableByOthers: .permission
        case .cannotOpen, .notAStore, .missing, .hardLinkOrFileMount, .full, .inputOutput, .damaged,
            .emptyFile,
            .cannotBackUp, .cannotRestore, .cannotSalvage, .nothingToSalvage, .replaced, .unverifiedCommit,
            .other:
            .file
        case .tokenExpired, .tokenOfAnotherStore, .tokenFromFuture, .unknownConsumer, .consumerFailed:
            .history
        case .busy: .busy
        case .cancelled, .closed: .ended
        }
    }
}
