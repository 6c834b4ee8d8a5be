// Swift Testing names a module `_Testing_UIKit` that is to be imported wherever `Testing` and `UIKit` are both,
// and a file that imports both does not compile where there is none. Apple's attaches pictures to test results.
// There is nothing to add here: the module exists so that tests of documents compile.
