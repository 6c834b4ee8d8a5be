// As JSON a reason is an object whose keys say which one it is: see Docs/formats/report.md.

extension CoordinationReport.Wait.Reason {
    private enum Key: String, CodingKey { case access, presenter, message }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        if let access = try values.decodeIfPresent(String.self, forKey: .access) {
            self = .access(access)
        } else {
            self = .answer(
                try values.decode(CoordinationReport.Presenter.self, forKey: .presenter),
                message: try values.decode(String.self, forKey: .message)
            )
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        switch self {
        case .access(let access): try values.encode(access, forKey: .access)
        case .answer(let presenter, let message):
            try values.encode(presenter, forKey: .presenter)
            try values.encode(message, forKey: .message)
        }
    }
}

extension BrokenCycle.Reason {
    private enum Key: String, CodingKey { case item, presenter, message, isInner }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        if let path = try values.decodeIfPresent(String.self, forKey: .item) {
            self = .item(path: path)
        } else if try values.decodeIfPresent(Bool.self, forKey: .isInner) == true {
            self = .inner
        } else {
            self = .answer(
                presenter: try values.decode(CoordinationReport.Presenter.self, forKey: .presenter),
                message: try values.decode(String.self, forKey: .message)
            )
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        switch self {
        case .item(let path): try values.encode(path, forKey: .item)
        case .inner: try values.encode(true, forKey: .isInner)
        case .answer(let presenter, let message):
            try values.encode(presenter, forKey: .presenter)
            try values.encode(message, forKey: .message)
        }
    }
}
