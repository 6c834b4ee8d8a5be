// Importing UIKit brings Foundation with it, as on iOS, and what Foundation lacks on Linux.
@_exported public import DocumentFoundation
@_exported public import DocumentMerging
@_exported public import Foundation
